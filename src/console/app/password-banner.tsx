import { Link, useLocation } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { buttonLook } from '../ui/button.tsx';
import { useLacksPassword } from './session.ts';

/** A banner that asks a person without a password, after a sign-in by one-time link, to set one. */
export function PasswordBanner() {
  const to = useLocation({ select: ({ href }) => href });
  if (!useLacksPassword()) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-2 bg-warning-soft px-4 py-2 text-warning md:px-6">
      <KeyRound size={15} aria-hidden className="shrink-0" />
      <span className="flex-1">You have no password yet, so you can’t sign in again.</span>
      <Link
        to="/sign-in/password"
        search={{ to }}
        className={`${buttonLook('plain', 'small')} text-ink`}
      >
        Choose a password
      </Link>
    </p>
  );
}
