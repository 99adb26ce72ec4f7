/** Browser features that no page of the service uses, by their names in `Permissions-Policy`. */
const UNUSED = (
  'accelerometer, camera, clipboard-read, display-capture, encrypted-media, geolocation, ' +
  'gyroscope, magnetometer, microphone, midi, payment, serial, usb'
).split(', ');

/**
 * Builds a `Permissions-Policy` that denies unused features to a page and its frames.
 *
 * @param allowed features that the frames of a page can still be given
 */
export const permissionsPolicy = (allowed: readonly string[] = []): string =>
  UNUSED.filter((name) => !allowed.includes(name))
    .map((name) => `${name}=()`)
    .join(', ');

/** The `Permissions-Policy` of every HTML page without frames. */
export const PERMISSIONS_POLICY = permissionsPolicy();
