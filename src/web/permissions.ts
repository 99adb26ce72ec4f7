/** Rights of browsers that none of our pages uses, by their names in `Permissions-Policy`. */
const UNUSED = [
  'accelerometer',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
] as const;

/**
 * A `Permissions-Policy` that denies what none of our pages uses, to the page and to its frames.
 *
 * @param allowed what the frames of a page may still be given
 */
export const permissionsPolicy = (allowed: readonly string[] = []): string =>
  UNUSED.filter((name) => !allowed.includes(name))
    .map((name) => `${name}=()`)
    .join(', ');

/** The `Permissions-Policy` of every HTML page of ours that shows no frame. */
export const PERMISSIONS_POLICY = permissionsPolicy();
