/**
 * Some browsers report a language that `Intl` refuses, such as `en-US@posix` in a shell with `LC_ALL=C`. Libraries use it
 * when they load, charts among them, so it is replaced before.
 */
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
}
