interface BarsProps {
  bars: readonly { label: string; value: number }[];
  /** Accessible description with the sum. */
  label: string;
}

/** A small bar chart of numbers over time. */
export function Bars({ bars, label }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <div role="img" aria-label={label} className="flex h-16 items-end gap-px">
      {bars.map(({ label: name, value }) => (
        <span
          key={name}
          title={`${name}: ${value}`}
          className={`flex-1 rounded-t-sm ${value === 0 ? 'bg-line' : 'bg-accent forced-colors:bg-[Highlight]'}`}
          style={{ height: value === 0 ? 2 : `${Math.max(6, (100 * value) / most)}%` }}
        />
      ))}
    </div>
  );
}
