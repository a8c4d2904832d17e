/** A name of the IANA time zone database in its own spelling; undefined for others, and for offsets such as `+02:00`. */
export function toTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined
  }
}
