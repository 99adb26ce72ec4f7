import { toSharedBody } from '../short-links/scheduled-record.ts';
import { withoutPassword } from './content/wifi.ts';
import { DESIGN_FIELDS } from './design.ts';
import type { QrCodeChanges } from './schema.ts';

/** Converts changes to the fields of a body: content and design in members of their own. */
export function toShownChanges(
  changes: QrCodeChanges,
  canReadPasswords: boolean,
): Record<string, unknown> {
  const { content, design = {}, newTemplateId, newTemplateName, ...shared } = changes;
  const body = toSharedBody(shared);
  if (content !== undefined) {
    const { type, value } = content;
    body['type'] = type;
    body[type] = type === 'wifi' && !canReadPasswords ? withoutPassword(value) : value;
  }
  for (const name of DESIGN_FIELDS) if (name in design) body[name] = design[name];
  if (newTemplateId !== undefined) body['useAsTemplate'] = true;
  if (newTemplateName !== undefined) body['templateName'] = newTemplateName;
  return body;
}
