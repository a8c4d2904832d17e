/** An id that is named twice counts once, where it stands first. */
export function withoutRepeats<T extends { connectors: string[]; capabilities: string[] }>(
  agent: T,
): T {
  const { connectors, capabilities } = agent
  return {
    ...agent,
    connectors: [...new Set(connectors)],
    capabilities: [...new Set(capabilities)],
  }
}
