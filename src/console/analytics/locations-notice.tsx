import { useMe } from '../app/session.ts';

/** The link that the licence of the database of places asks for, where its data is shown. */
export function LocationsNotice() {
  const { locationsBy } = useMe();
  if (locationsBy !== 'DB-IP') return null;
  return (
    <p className="text-xs text-muted">
      <a
        href="https://db-ip.com"
        target="_blank"
        rel="noreferrer"
        className="underline underline-offset-2"
      >
        IP Geolocation by DB-IP
      </a>
    </p>
  );
}
