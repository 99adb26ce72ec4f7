import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classes } from './classes.ts';
import { inputLook } from './field.tsx';

interface SearchInputProps extends Omit<ComponentProps<'input'>, 'type' | 'className'> {
  'aria-label': string;
  /** Class names of the box around the field, for its width. */
  className?: string;
}

/** A search field with an icon. */
export const SearchInput = ({ className, ...rest }: SearchInputProps) => (
  <div className={classes('relative', className)}>
    <Search
      size={15}
      aria-hidden
      className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
    />
    <input {...rest} type="search" className={`${inputLook} pl-8`} />
  </div>
);
