/** Addresses as HTML forms take them, as parts of regular expressions. */
const address =
  "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63}){0,8}"

/** One to 20 addresses with commas between. */
export const addressList = `^${address}(?: *, *${address}){0,19}$`

/** An address, or a name with the address in angle brackets. */
export const sender = `^(?:${address}|[^\\x00-\\x1f\\x7f<>"]{1,100} <${address}>)$`
