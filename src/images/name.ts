/** Name under which the cache holds an image, by the hash of its PNG. */
export const imageName = (id: string): string => `img:${id}`;
