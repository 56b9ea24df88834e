export const Threads = () => <p>Threads</p>;
