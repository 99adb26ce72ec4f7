import type { HandedOver } from '../infra/kept.ts';
import type { FileType } from './file-source.ts';

/** A stored image: its id, and its size in px. */
export interface ImageRef {
  id: string;
  width: number;
  height: number;
}

/** A stored file: the hash of its bytes, and its media type. */
export interface FileRef {
  id: string;
  type: FileType;
}

/** An image without a workspace may be stored for one reader only. */
export interface MadeImage extends ImageRef {
  handed?: HandedOver | undefined;
}

/** Returns the name of an image in the cache, from the hash of its PNG. */
export const imageName = (id: string): string => `img:${id}`;
