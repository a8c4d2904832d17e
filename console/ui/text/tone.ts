/** What a color says. */
export type Tone = 'neutral' | 'live' | 'warn' | 'ok' | 'bad' | 'accent'
