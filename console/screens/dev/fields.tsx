import { useState, type ReactNode } from 'react'
import { CheckField, SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { PromptField } from '../../ui/form/prompt-field.tsx'

const options = [
  { value: 'one', label: 'One' },
  { value: 'two', label: 'Two' },
]

/** Every kind of field: normal, with a hint, with an error, and disabled. */
export function Fields(): ReactNode {
  const [text, setText] = useState('Words')
  const [choice, setChoice] = useState('one')
  const [isChosen, setIsChosen] = useState(true)
  const field = { value: text, onChange: setText }
  const select = { options, value: choice, onChange: setChoice }
  const check = { checked: isChosen, onChange: setIsChosen }
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField label="Text" hint="What helps stands here." {...field} />
      <TextField label="Text that is wrong" error="Expected up to 3 characters" {...field} />
      <TextField label="Text, disabled" disabled {...field} />
      <TextField label="Text of machines" mono {...field} />
      <TextArea label="Long text" hint="It may have many lines." {...field} />
      <TextArea label="Long text that is wrong" error="Expected something" {...field} />
      <SelectField label="Choice" {...select} />
      <SelectField label="Choice, disabled" disabled {...select} />
      <CheckField label="Yes or no" hint="With what it means." {...check} />
      <CheckField label="Yes or no, disabled" disabled {...check} />
      <PromptField label="Instructions" {...field} />
      <PromptField label="Instructions that are wrong" error="Expected something" {...field} />
    </div>
  )
}
