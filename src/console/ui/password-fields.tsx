import type { ComponentProps } from 'react';
import { TextField } from './field.tsx';

type FieldProps = Omit<ComponentProps<typeof TextField>, 'label' | 'type' | 'autoComplete'>;

/** The account of a form with a password. Password managers look for its name. */
export const AccountName = ({ email }: { email: string }) => (
  <input type="text" autoComplete="username" readOnly hidden value={email} />
);

export const CurrentPasswordField = (props: FieldProps) => (
  <TextField
    {...props}
    label="Current password"
    type="password"
    autoComplete="current-password"
    required
  />
);

export const NewPasswordField = (props: FieldProps) => (
  <TextField
    hint="At least 10 characters."
    {...props}
    label="New password"
    type="password"
    autoComplete="new-password"
    required
  />
);
