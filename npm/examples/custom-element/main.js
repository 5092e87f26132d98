import 'changeover/element';

const release = document.querySelector('#release');
const replicas = document.querySelector('#replicas');

function show() {
  release.manifest = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: ${replicas.value}
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
      - name: web
        image: web:1
`;
}

replicas.addEventListener('input', show);
show();
