import { LRUCache } from 'lru-cache';

/** Total size of what is kept, in bytes: that of three pictures behind codes of 1,024 px. */
const MOST_BYTES = 32_000_000;

/** An array of pixels, or of a value for each. */
type Values = Uint8Array | Uint32Array | Float64Array;

/** Results, such as toned and scaled pictures, by the number of their pixels and other input. */
const computed = new LRUCache<string, readonly Values[]>({
  maxSize: MOST_BYTES,
  sizeCalculation: (arrays) => arrays.reduce((sum, { byteLength }) => sum + byteLength, 1),
});

let lastNumber = 0;
const numbers = new WeakMap<object, number>();

/**
 * Returns what was computed of pixels before, or computes it. Callers do not change it.
 *
 * @param pixels the same object for the same pixels
 * @param input names the computation, and everything else on which it depends
 */
export function computedOf<T extends readonly Values[]>(
  pixels: object,
  input: string,
  compute: () => T,
): T {
  let number = numbers.get(pixels);
  if (number === undefined) numbers.set(pixels, (number = lastNumber += 1));
  const name = `${number} ${input}`;
  const existing = computed.get(name) as T | undefined;
  if (existing !== undefined) return existing;
  const values = compute();
  computed.set(name, values);
  return values;
}
