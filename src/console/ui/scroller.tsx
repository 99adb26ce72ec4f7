import type { ReactNode } from 'react';

interface ScrollerProps {
  label: string;
  className: string;
  children: ReactNode;
  ref?: React.Ref<HTMLDivElement>;
}

/** A scrollable area that takes the focus, so that arrow keys scroll it. */
export function Scroller({ label, className, children, ref }: ScrollerProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- else keys could not scroll it
    <div ref={ref} tabIndex={0} role="group" aria-label={label} className={className}>
      {children}
    </div>
  );
}
