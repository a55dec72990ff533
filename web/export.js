// stub
export function exportTools() {}
