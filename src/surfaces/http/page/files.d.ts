declare module "*.css" {
  const path: string;
  export default path;
}
declare module "*/api.js" {
  const path: string;
  export default path;
}
