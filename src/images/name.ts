import type { HandedOver } from '../infra/kept.ts';

/** An image that was fetched and stored: its id and its size in px. */
export interface ImageRef {
  id: string;
  width: number;
  height: number;
}

/** An image of no workspace may be there for one reader only. */
export interface MadeImage extends ImageRef {
  handed?: HandedOver | undefined;
}

/** Name under which the cache holds an image, by the hash of its PNG. */
export const imageName = (id: string): string => `img:${id}`;
