import { createHash } from 'node:crypto';
import type { Asker } from '../http/answer.ts';
import type { ApiRequest } from '../http/route.ts';
import { askImage, namingField } from '../images/ask.ts';
import { type ImageRef, imageName } from '../images/name.ts';
import type { StoredDesign } from './render/stored-design.ts';
import type { KeptImages } from './schema.ts';

/** Images of one request by their sources: each is fetched once, however many codes show it. */
export type KeptSources = Map<string, Promise<ImageRef>>;

/** Fetches the images that a body names, and stores them for the workspace. @throws Refusal naming the field */
export async function keepImages(
  request: Asker,
  { src, logo }: Pick<StoredDesign, 'src' | 'logo'>,
  kept: KeptSources = new Map(),
): Promise<KeptImages> {
  const [srcImage, logoImage] = await Promise.all([
    keepImage(request, 'src', src, kept),
    keepImage(request, 'logo', logo, kept),
  ]);
  return {
    ...(srcImage === undefined ? {} : { src: srcImage }),
    ...(logoImage === undefined ? {} : { logo: logoImage }),
  };
}

async function keepImage(
  request: Asker,
  field: 'src' | 'logo',
  source: string | null | undefined,
  kept: KeptSources = new Map(),
): Promise<ImageRef | undefined> {
  if (typeof source !== 'string') return undefined;
  const keeping = kept.get(source) ?? askImage(request, source);
  kept.set(source, keeping);
  return namingField(field, keeping);
}

/** Time for which an image of a public picture is cached, in s. */
const PUBLIC_SECONDS = 86_400;

/** The look with the images that it names; they belong to no workspace and are cached for a day. */
export async function withPublicImages(
  request: Pick<ApiRequest, 'queues' | 'caller' | 'requestId'>,
  look: StoredDesign,
): Promise<StoredDesign> {
  const source = look.src ?? look.logo;
  if (typeof source !== 'string') return look;
  const field = typeof look.src === 'string' ? 'src' : 'logo';
  const { cache } = request.queues;
  const name = `imgsrc:${createHash('sha256').update(source).digest('base64url')}`;
  const known = JSON.parse((await cache.get(name)) ?? 'null') as ImageRef | null;
  // A cache that evicts may have kept the name and not the image.
  if (known !== null && (await cache.exists(imageName(known.id))) === 1) {
    return { ...look, srcImage: known };
  }
  const image = await keepImage(request, field, source);
  await cache.set(name, JSON.stringify(image), 'EX', PUBLIC_SECONDS);
  return { ...look, srcImage: image! };
}
