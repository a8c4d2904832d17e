import type { faultOf } from './fault.ts'

type Fault = ReturnType<typeof faultOf>

/** The names of a form's fields with this type of value. */
type NameOf<Form, Value> = {
  [Name in keyof Form]: Form[Name] extends Value ? Name : never
}[keyof Form] &
  string

/** A form's fields: the value of each, how to change it, and the API's error about it. */
export interface Fields<Form> {
  form: Form
  set: (part: Partial<Form>) => void
  /** `param` is the API's name, if it differs. */
  field: <Name extends keyof Form & string>(
    name: Name,
    param?: string,
  ) => { value: Form[Name]; onChange: (value: Form[Name]) => void; error: string | undefined }
  check: (name: NameOf<Form, boolean>) => {
    checked: boolean
    onChange: (checked: boolean) => void
  }
  fault: Fault
}

export function fieldsOf<Form>(
  form: Form,
  change: (form: Form) => void,
  fault?: Fault,
): Fields<Form> {
  return fieldsBy(form, (part) => change({ ...form, ...part }), fault)
}

/** The same, where `set` changes some of the fields. */
export function fieldsBy<Form>(
  form: Form,
  set: (part: Partial<Form>) => void,
  fault?: Fault,
): Fields<Form> {
  return {
    form,
    set,
    field: (name, param = name) => ({
      value: form[name],
      onChange: (value) => set({ [name]: value } as unknown as Partial<Form>),
      error: isIn(param, fault) ? fault.message : undefined,
    }),
    check: (name) => ({
      checked: form[name] as boolean,
      onChange: (checked) => set({ [name]: checked } as unknown as Partial<Form>),
    }),
    fault,
  }
}

/** Text that is not a number is sent unchanged; the API's error says what is wrong. */
export function numberOf(text: string): number {
  const value = Number(text.trim())
  return text.trim() !== '' && Number.isFinite(value) ? value : (text as unknown as number)
}

/** Whether the error is about this parameter or a part of it: `crew` includes `crew[0].role`. */
export function isIn(param: string, fault: Fault): fault is NonNullable<Fault> {
  return fault?.param.startsWith(param) === true && !/^\w/.test(fault.param.slice(param.length))
}
