import { useMe } from '../app/session.ts';

/** The link that the license of the location database requires beside its data. */
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
