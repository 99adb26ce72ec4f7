/** See places.mjs. */
export function installPlaces(onStart: () => void): Promise<boolean>;
