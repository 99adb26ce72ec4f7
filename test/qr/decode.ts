import { CLEAN_DECODERS, DECODERS } from '../support/decoders.ts';
import { type Case, sampleImage } from './cases.ts';
import { make, RENDERINGS, type Rendering, render } from './renderings.ts';

/** A decoder that did not return the payload. */
export interface Failure {
  case: Case;
  rendering: Rendering;
  decoder: string;
  /** Decoded payload, or `undefined` if the decoder found nothing. */
  got: string | undefined;
}

let image: ReturnType<typeof sampleImage> | undefined;

/**
 * True for a failure that no code may have: ZBar and ZXing read all renderings, and jsQR, which may
 * find nothing in a code with a style, misreads none as it is made.
 */
export const isFault = ({ rendering, decoder, got }: Failure): boolean =>
  decoder in DECODERS || (rendering === 'as made' && got !== undefined);

/** Decodes a case in all renderings with all decoders. */
export async function decodeCase(one: Case): Promise<Failure[]> {
  image ??= sampleImage();
  const middle = one.scene.design.middle === null ? undefined : await image;
  const scene = { ...one.scene, image: middle };
  const expected = Buffer.from(scene.payload);
  const made = await make(scene);
  const failures: Failure[] = [];
  for (const rendering of RENDERINGS) {
    const pixels = await render(scene, made, rendering);
    for (const [decoder, decode] of Object.entries(CLEAN_DECODERS)) {
      const got = await decode(pixels);
      if (got?.equals(expected) !== true) {
        failures.push({ case: one, rendering, decoder, got: got?.toString() });
      }
    }
  }
  return failures;
}

/** Describes a failure in one line. */
export function describeFailure({
  case: { choices, scene },
  rendering,
  decoder,
  got,
}: Failure): string {
  const chosen = Object.values(choices).join(', ');
  return `${decoder}, ${rendering}: ${chosen} (${scene.payload.length} characters): ${got === undefined ? 'nothing found' : `got ${JSON.stringify(got.slice(0, 60))}`}`;
}
