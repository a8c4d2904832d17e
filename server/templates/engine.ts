import { Drop, Liquid, type FilterImplOptions } from 'liquidjs'

/** Liquid with two additions: an object within a text is written as JSON, and dates know the usual short forms. */
export function createEngine(
  limits: Pick<
    NonNullable<ConstructorParameters<typeof Liquid>[0]>,
    'parseLimit' | 'renderLimit' | 'memoryLimit'
  >,
): Liquid {
  const engine = new Liquid({
    ...limits,
    // `render` and `include` find nothing, and no file is read.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    // A time is shown in its own offset, or else in UTC, unless the template names a zone.
    preserveTimezones: true,
    timezoneOffset: 0,
    outputEscape: (value) => asText(value) as string,
  })
  for (const name of textFilters) {
    wrap(
      engine,
      name,
      (filter) =>
        (value, ...rest) =>
          filter(asText(value), ...rest.map(asText)),
    )
  }
  wrap(engine, 'join', (filter) => (value, ...rest) => {
    return filter(Array.isArray(value) ? value.map(asText) : value, ...rest)
  })
  wrap(engine, 'date', (filter) => (value, format, ...rest) => {
    return filter(value, typeof format === 'string' ? spellOut(format) : format, ...rest)
  })
  return engine
}

/** Filters that work on a text. */
const textFilters = [
  'append prepend upcase downcase capitalize strip lstrip rstrip strip_newlines strip_html',
  'squish normalize_whitespace newline_to_br truncate truncatewords number_of_words replace',
  'replace_first replace_last remove remove_first remove_last split escape escape_once',
  'url_encode cgi_escape uri_escape slugify base64_encode sha256 hmac_sha256',
].flatMap((names) => names.split(' '))

type Filter = (...values: unknown[]) => unknown

function wrap(engine: Liquid, name: string, make: (filter: Filter) => Filter): void {
  const known = engine.filters[name]
  const filter = (typeof known === 'function' ? known : known?.handler) as Filter | undefined
  if (filter === undefined) throw new Error(`Liquid has no filter ${name}`)
  const wrapped = function (this: unknown, ...values: unknown[]): unknown {
    return make(filter.bind(this))(...values)
  }
  const added: FilterImplOptions = wrapped as FilterImplOptions
  engine.registerFilter(name, added)
}

/** JSON of an object, and of a list with one in it; Liquid writes other lists without separators. */
function asText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Drop) return value
  const isPlainList =
    Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)
  return isPlainList || value instanceof Date ? value : JSON.stringify(value)
}

const longForms: Record<string, string> = {
  '%F': '%Y-%m-%d',
  '%T': '%H:%M:%S',
  '%R': '%H:%M',
  '%D': '%m/%d/%y',
}

function spellOut(format: string): string {
  return format.replaceAll(/%[%FTRD]/g, (form) => longForms[form] ?? form)
}
