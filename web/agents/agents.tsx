export const Agents = () => <p>Agents</p>;
