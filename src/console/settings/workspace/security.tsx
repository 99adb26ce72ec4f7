import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useMe } from '../../app/session.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Switch } from '../../ui/field.tsx';
import { FormSection } from '../form-section.tsx';
import { useSaveWorkspace } from './save.ts';

/** The form for the second factor that the workspace requires. */
export function Security({ workspace }: { workspace: Schemas['Workspace'] }) {
  const { may } = useWorkspace();
  const { secondFactor } = useMe();
  const to = useLocation({ select: ({ pathname }) => pathname });
  const mayWrite = may('workspace.write');
  const [isRequired, require] = useState(workspace.requireSecondFactor);
  const save = useSaveWorkspace(workspace, (saved) => require(saved.requireSecondFactor));
  return (
    <FormSection
      title="Security"
      description={<DocsLink guide="users">How people sign in</DocsLink>}
      mayWrite={mayWrite}
      write={save}
      isChanged={isRequired !== workspace.requireSecondFactor}
      onSubmit={() => save.write({ requireSecondFactor: isRequired })}
    >
      <Switch
        label="Require two-factor authentication"
        hint="Members who haven’t set it up must do so before they can use this workspace. API keys keep working."
        checked={isRequired}
        disabled={!mayWrite}
        onChange={require}
      />
      {mayWrite && isRequired && !workspace.requireSecondFactor && secondFactor === null && (
        <p>
          <Link to="/sign-in/second-factor" search={{ to }} className="text-accent-text underline">
            Set it up for yourself
          </Link>{' '}
          first.
        </p>
      )}
    </FormSection>
  );
}
