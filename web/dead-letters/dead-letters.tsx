export const DeadLetters = () => <p>DeadLetters</p>;
