declare module '@jspawn/ghostscript-wasm/gs.mjs' {
  interface Ghostscript {
    FS: { writeFile(path: string, data: Uint8Array): void; readFile(path: string): Uint8Array };
    callMain(args: string[]): Promise<number> | number;
  }
  export default function make(options: {
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => void,
    ): object;
    print(): void;
    printErr(): void;
  }): Promise<Ghostscript>;
}
