import type { Role } from '../../api/people.ts';

/** Description of each role's rights. */
const ROLES: Readonly<Record<Role, string>> = {
  owner: 'Can do everything, including people, API keys and settings.',
  member: 'Can create and edit links, QR codes and all other records.',
  viewer: 'Can see links, QR codes and analytics, but not change anything.',
};

/** A choice of role. */
export function RoleChoice({ role, onChange }: { role: Role; onChange(role: Role): void }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Role</legend>
      {(Object.keys(ROLES) as Role[]).map((one) => (
        <label
          key={one}
          className={`grid grid-cols-[auto_1fr] gap-x-3 rounded-md border p-3 ${one === role ? 'border-accent-text bg-accent-soft' : 'border-line'}`}
        >
          <input
            type="radio"
            name="role"
            className="mt-0.5 size-4 accent-accent"
            checked={one === role}
            onChange={() => onChange(one)}
          />
          <span className="font-medium capitalize">{one}</span>
          <span className="col-start-2 text-muted">{ROLES[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
