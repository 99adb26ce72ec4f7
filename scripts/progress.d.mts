/** See progress.mjs. */
export class Progress {
  constructor(stream: NodeJS.WriteStream);
  line(text: string): void;
  during<T>(title: string, work: () => Promise<T>): Promise<T>;
}
