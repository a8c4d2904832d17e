/** What a person who starts the service on a terminal needs next. */
export interface Started {
  url: string | undefined
  /** Setup link for the first admin, at each start until there is a person. */
  setupLink: string | undefined
  /** Shown once, at the first start. */
  adminKey: string | undefined
  /** File with the key; undefined if it is not stored. */
  keyFile: string | undefined
}

export function banner({ url, setupLink, adminKey, keyFile }: Started): string {
  const kept = keyFile === undefined ? 'shown only once' : `kept in ${keyFile}`
  const rows = [
    ...(url === undefined ? [] : [['Console', url]]),
    ...(setupLink === undefined
      ? []
      : [['First admin', `${setupLink}  (valid once within 15 minutes)`]]),
    ...(adminKey === undefined ? [] : [['Admin key', `${adminKey}  (${kept})`]]),
    ...(url === undefined ? [] : [['API reference', `${url}/docs`]]),
    ['Stop', 'Ctrl-C'],
  ]
  const lines = rows.map(([name = '', text = '']) => `  ${name.padEnd(15)}${text}`)
  return `\n  ${url === undefined ? 'The worker is running.' : 'Muster is ready.'}\n\n${lines.join('\n')}\n`
}
