declare module '*.po' {
  const catalog: import('./language.ts').Catalog;
  export default catalog;
}
