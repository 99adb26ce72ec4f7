/** Reads a file as a `data:` URI. */
export function dataUriOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(new Error('The file can’t be read')));
    reader.readAsDataURL(file);
  });
}
