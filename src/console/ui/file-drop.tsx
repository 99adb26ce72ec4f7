import { type ComponentProps, type DragEvent, type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import type { ControlProps } from './field.tsx';
import { toast } from './toasts.tsx';
import { usePastedFile } from './use-pasted-file.ts';

interface FileDropProps {
  /** Name of the place that takes a file. */
  label: string;
  /** The name of its input, or what ties it to a field. */
  control: ControlProps | { 'aria-label': string };
  /** Types of files, as `accept` of an input has them. */
  accept: string;
  /** Largest file, in bytes, and what is said of a larger one. */
  most: { bytes: number; message: string };
  isDisabled?: boolean;
  onFile(file: File): void;
  className: string;
  /** Its look while no file is held over it. */
  idleLook: string;
  /** Before the button. */
  lead: ReactNode;
  /** The button that opens the browser’s choice of files. */
  button?: Omit<ComponentProps<typeof Button>, 'onClick'> | false;
  /** After the button. */
  children?: ReactNode;
}

/** Takes a file, by drop, paste or choice. */
export function FileDrop(props: FileDropProps) {
  const { label, control, accept, most, isDisabled = false, onFile } = props;
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (file: File | undefined) => {
    if (file === undefined || isDisabled) return;
    if (file.size > most.bytes) toast(most.message, 'danger');
    else onFile(file);
  };
  usePastedFile(take);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <div
      role="group"
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
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
