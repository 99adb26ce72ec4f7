import type { LucideIcon } from 'lucide-react';
import { useId } from 'react';
import { buttonLook } from './button.tsx';
import { classes } from './classes.ts';

interface FileButtonProps {
  icon: LucideIcon;
  /** Text of the button. */
  children: string;
  /** Accessible name of the file chooser; absent: the text. */
  label?: string;
  /** Media types or endings of files, as in the attribute `accept`. */
  accept: string;
  disabled?: boolean;
  onFile(file: File): void;
}

/** A button that lets the person choose a file. */
export function FileButton(props: FileButtonProps) {
  const { icon: Icon, children, label, accept, disabled, onFile } = props;
  const id = useId();
  return (
    <label
      htmlFor={id}
      className={classes(
        buttonLook(),
        'w-fit cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text',
      )}
    >
      <Icon size={15} aria-hidden />
      {children}
      <input
        id={id}
        type="file"
        aria-label={label}
        className="sr-only"
        accept={accept}
        disabled={disabled}
        onChange={({ target }) => {
          const file = target.files?.[0];
          // The same file can be chosen again.
          target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
    </label>
  );
}
