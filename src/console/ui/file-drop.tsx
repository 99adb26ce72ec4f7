import { type ComponentProps, type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import type { ControlProps } from './field.tsx';
import { toast } from './toasts.tsx';
import { useFileDrop } from './use-file-drop.ts';

interface FileDropProps {
  /** Accessible name of the drop area. */
  label: string;
  /** Accessible name of the file input, or the attributes that connect it to a field. */
  control: ControlProps | { 'aria-label': string };
  /** Accepted file types, in the syntax of the `accept` attribute. */
  accept: string;
  /** Largest accepted file in bytes, and the message for a larger one. */
  most: { bytes: number; message: string };
  isDisabled?: boolean;
  onFile(file: File): void;
  className: string;
  /** Class names while no file is dragged over the area. */
  idleLook: string;
  /** Content before the button. */
  lead: ReactNode;
  /** Properties of the button that opens the browser’s file picker; false for no button. */
  button?: Omit<ComponentProps<typeof Button>, 'onClick'> | false;
  /** Content after the button. */
  children?: ReactNode;
}

/** Accepts a file by drag and drop, paste or the file picker. */
export function FileDrop(props: FileDropProps) {
  const { label, control, accept, most, isDisabled = false, onFile } = props;
  const input = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined) => {
    if (file === undefined || isDisabled) return;
    if (file.size > most.bytes) toast(most.message, 'danger');
    else onFile(file);
  };
  const { isOver, handlers } = useFileDrop(take);
  return (
    <div
      role="group"
      aria-label={label}
      {...handlers}
      className={classes(
        props.className,
        isOver ? 'border-accent-text bg-accent-soft' : props.idleLook,
      )}
    >
      <input
        {...control}
        ref={input}
        type="file"
        accept={accept}
        tabIndex={-1}
        className="sr-only"
        disabled={isDisabled}
        onChange={(event) => {
          take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      {props.lead}
      {props.button && <Button {...props.button} onClick={() => input.current?.click()} />}
      {props.children}
    </div>
  );
}
