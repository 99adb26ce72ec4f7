import type { LinkProps } from '@tanstack/react-router';
import { createContext } from 'react';
import type { Scope } from './workspace.tsx';

/** A view in the settings. */
export interface SettingsView {
  to: Extract<LinkProps['to'], `/$workspace/settings/${string}`>;
  label: string;
  /** Scope required to see the view. */
  scope: Scope;
  /** True for a view that members with limits cannot open. */
  isUnlimited?: true;
  /** Additional search words for the command palette. */
  words?: string;
}

/**
 * Views in the settings, in the order of their menu. The frame provides them: the layout of the
 * settings is a row of the table of views, and importing the table would be a circle.
 */
export const SettingsViews = createContext<readonly SettingsView[]>([]);
