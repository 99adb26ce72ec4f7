/** Maximum number of lines that are shown without scrolling. */
const MAX_LINES = 16;

/** A scrollable text that can be focused, so that keys scroll it. */
export function ReadText({ label, children }: { label: string; children: string }) {
  return (
    <textarea
      readOnly
      aria-label={label}
      rows={Math.min(MAX_LINES, children.split('\n').length + 1)}
      value={children}
      spellCheck={false}
      className="w-full resize-y rounded-md border border-line bg-ground p-3 font-mono text-xs"
    />
  );
}
