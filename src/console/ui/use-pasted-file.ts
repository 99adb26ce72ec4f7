import { useEffect, useEffectEvent } from 'react';

/**
 * Accepts a file pasted anywhere in the window. A file dropped outside the drop area is ignored,
 * because the browser would otherwise replace the page with it.
 */
export function usePastedFile(take: (file: File) => void): void {
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const file = event.clipboardData?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    take(file);
  });
  useEffect(() => {
    addEventListener('paste', onPaste);
    addEventListener('dragover', ignoreFile);
    addEventListener('drop', ignoreFile);
    return () => {
      removeEventListener('paste', onPaste);
      removeEventListener('dragover', ignoreFile);
      removeEventListener('drop', ignoreFile);
    };
  }, []);
}

function ignoreFile(event: DragEvent): void {
  if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}
