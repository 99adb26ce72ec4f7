/** The label of a button in the bar, which phones show as its icon alone. */
export const BarLabel = ({ children }: { children: string }) => (
  <span className="max-md:sr-only">{children}</span>
);
