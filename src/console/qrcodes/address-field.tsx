import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';

interface AddressFieldProps {
  label: string;
  placeholder: string;
  /** Text of the button, which names the image: a view may have several such fields. */
  action: string;
  /** The URL in use; `null` without one. */
  source: string | null;
  onSource(source: string): void;
  error: string | undefined;
}

/** A field for the URL of an image, which is fetched when the person confirms it. */
export function AddressField({
  label,
  placeholder,
  action,
  source,
  onSource,
  error,
}: AddressFieldProps) {
  const [address, setAddress] = useState(source ?? '');
  const use = () => {
    if (address.trim() !== '') onSource(address.trim());
  };
  return (
    <div className="flex items-end gap-2">
      <div className="flex-1">
        <TextField
          label={label}
          type="url"
          placeholder={placeholder}
          value={address}
          onChange={({ target }) => setAddress(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && use()}
          error={error}
        />
      </div>
      <Button className="h-9 max-md:h-11" onClick={use}>
        {action}
      </Button>
    </div>
  );
}
