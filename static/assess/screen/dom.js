// The few helpers that every part of the screen builds its elements with.

export const byId = (id) => document.getElementById(id);

export function make(name, { text, className, attributes = {}, on = {} } = {}, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const [type, listener] of Object.entries(on)) element.addEventListener(type, listener);
  element.append(...children);
  return element;
}
