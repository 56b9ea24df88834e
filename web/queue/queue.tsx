export const Queue = () => <p>Queue</p>;
