import { createHash } from 'node:crypto';
import type { ApiRequest, Requester } from '../http/route.ts';
import { type ImageRef, imageName, type MadeImage } from '../images/name.ts';
import { namingField, requestFile, requestImage } from '../images/request.ts';
import { keep } from '../infra/kept.ts';
import type { Contact } from './content/contact.ts';
import type { FileContent } from './content/file.ts';
import type { StoredDesign } from './render/stored-design.ts';
import type { StoredImages } from './schema.ts';

/** Images of one request by their sources. Each is fetched once, however many codes show it. */
export type ImageSources = Map<string, Promise<ImageRef>>;

/**
 * Fetches the images of a body and stores them for the workspace. @throws Refusal naming the field
 */
export async function storeImages(
  request: Requester,
  {
    src,
    logo,
    vcard,
    file,
  }: Pick<StoredDesign, 'src' | 'logo'> & { vcard?: unknown; file?: unknown },
  sources: ImageSources = new Map(),
): Promise<StoredImages> {
  const { photo } = (vcard ?? {}) as Pick<Contact, 'photo'>;
  const { source } = (file ?? {}) as Partial<FileContent>;
  const [srcImage, logoImage, photoImage, stored] = await Promise.all([
    storeImage(request, 'src', src, sources),
    storeImage(request, 'logo', logo, sources),
    storeImage(request, 'vcard.photo', photo, sources),
    source === undefined ? undefined : namingField('file.source', requestFile(request, source)),
  ]);
  return { src: srcImage, logo: logoImage, photo: photoImage, file: stored };
}

async function storeImage(
  request: Requester,
  field: string,
  source: string | null | undefined,
  sources: ImageSources = new Map(),
): Promise<ImageRef | undefined> {
  if (typeof source !== 'string') return undefined;
  const keeping = sources.get(source) ?? requestImage(request, source);
  sources.set(source, keeping);
  return namingField(field, keeping);
}

/**
 * Time for which the image of a public picture is cached by its source, in seconds. The image
 * itself is kept longer.
 */
const PUBLIC_SECONDS = 300;

/** A design and its stored image. */
interface WithPublicImage {
  look: StoredDesign;
  image: MadeImage | null;
}

/**
 * Adds the image that a design names, which belongs to no workspace and is cached for minutes. An
 * image that is not cached is fetched and drawn, and counts against a limit.
 *
 * @throws Refusal naming the field; `rate_limit_exceeded`
 */
export async function withPublicImage(
  request: Pick<ApiRequest, 'queues' | 'caller' | 'requestId' | 'connection'>,
  look: StoredDesign,
): Promise<WithPublicImage> {
  const source = look.src ?? look.logo;
  if (typeof source !== 'string') return { look, image: null };
  const field = typeof look.src === 'string' ? 'src' : 'logo';
  const { cache } = request.queues;
  const name = `imgsrc:${createHash('sha256').update(source).digest('base64url')}`;
  const cached = JSON.parse((await cache.get(name)) ?? 'null') as ImageRef | null;
  // The cache may have evicted the image but not the name.
  if (cached !== null && (await cache.exists(imageName(cached.id))) === 1) {
    return { look: { ...look, srcImage: cached }, image: cached };
  }
  await request.connection.takeImage();
  const image = await namingField(field, requestImage(request, source));
  const { handed, ...ref } = image;
  if (handed === undefined) {
    const options = { budget: 'strangers', seconds: PUBLIC_SECONDS } as const;
    await keep(cache, name, JSON.stringify(ref), options);
  }
  return { look: { ...look, srcImage: ref }, image };
}
