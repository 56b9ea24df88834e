export const Channels = () => <p>Channels</p>;
