interface RowButtonProps {
  children: string;
  onClick(): void;
}

/** The name of a row, which opens its details. */
export const RowButton = ({ children, onClick }: RowButtonProps) => (
  <button
    type="button"
    className="text-left font-medium hover:underline max-md:min-h-11"
    onClick={onClick}
  >
    {children}
  </button>
);
