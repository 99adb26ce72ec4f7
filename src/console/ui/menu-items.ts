import { Pencil, Trash2 } from 'lucide-react';
import type { MenuItem } from './menu.tsx';

/** Creates the menu item that edits a record. */
export const editItem = (onSelect: () => void): MenuItem => ({
  label: 'Edit',
  icon: Pencil,
  onSelect,
});

/** Creates the menu item that deletes a record. */
export const deleteItem = (onSelect: () => void, label = 'Delete'): MenuItem => ({
  label,
  icon: Trash2,
  isDanger: true,
  onSelect,
});
