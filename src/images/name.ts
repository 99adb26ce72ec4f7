import type { HandedOver } from '../infra/kept.ts';

/** A stored image: its id, and its size in px. */
export interface ImageRef {
  id: string;
  width: number;
  height: number;
}

/** An image without a workspace may be stored for one reader only. */
export interface MadeImage extends ImageRef {
  handed?: HandedOver | undefined;
}

/** Returns the name of an image in the cache, from the hash of its PNG. */
export const imageName = (id: string): string => `img:${id}`;
