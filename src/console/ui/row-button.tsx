interface RowButtonProps {
  children: string;
  /** Name for screen readers where several rows have the same text, which it begins with. */
  label?: string;
  onClick(): void;
}

/** The name of a row, which opens its details. */
export const RowButton = ({ children, label, onClick }: RowButtonProps) => (
  <button
    type="button"
    aria-label={label}
    className="text-left font-medium hover:underline max-md:min-h-11"
    onClick={onClick}
  >
    {children}
  </button>
);
