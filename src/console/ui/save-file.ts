/** Saves a file through the browser's download. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  saveFrom(address, name);
  // The browser has started to read the file by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Downloads a file from an address of this service without leaving the page. */
export function saveFrom(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
