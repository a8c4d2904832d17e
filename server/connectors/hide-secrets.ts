/**
 * A text of another side without the secrets that were sent to it: servers echo what they were given,
 * in refusals above all. Short values are left, since they would be found in innocent words.
 */
export function hideSecrets(text: string, secrets: Record<string, unknown>): string {
  return Object.entries(secrets)
    .filter(([name]) => !publicFields.has(name))
    .flatMap(([, value]) => (typeof value === 'string' ? variants(value) : []))
    .reduce((hidden, secret) => hidden.replaceAll(secret, '[secret]'), text)
}

const publicFields = new Set(['host', 'from', 'user'])
const shortest = 6

/** A header such as `Bearer abc` is hidden by its token as well. */
function variants(value: string): string[] {
  const token = value.split(' ').at(-1) ?? value
  return [value, token].filter((secret) => secret.length >= shortest)
}
