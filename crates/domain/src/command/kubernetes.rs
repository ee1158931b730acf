//! A Kubernetes manifest: a Deployment of one pod and its Service.

use std::fmt::Write as _;

use super::container::{HEALTH, HF_CACHE, Plan};
use super::yaml;

/// How often the probes ask, in seconds.
const PERIOD_S: u32 = 10;
/// Weights of a large model take this many probes to arrive: half an hour.
const START_PROBES: u32 = 180;

/// The manifest, two documents.
pub(super) fn manifest(plan: &Plan) -> String {
    let (name, port) = (yaml::string(&plan.name), plan.port);
    let mut out = format!(
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  labels:
    app: {name}
spec:
  replicas: 1
  strategy:
    type: Recreate
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      enableServiceLinks: false
      containers:
        - name: server
          image: {}
"#,
        yaml::string(&plan.image)
    );
    list(&mut out, "command", &plan.entrypoint);
    list(&mut out, "args", &plan.words);
    if !plan.env.is_empty() {
        out.push_str("          env:\n");
        for (key, value) in &plan.env {
            let (key, value) = (yaml::string(key), yaml::string(&literal(value)));
            let _ = write!(out, "            - name: {key}\n              value: {value}\n");
        }
    }
    let _ = write!(
        out,
        r#"          ports:
            - name: http
              containerPort: {port}
          resources:
            limits:
              nvidia.com/gpu: {gpus}
          startupProbe:
            httpGet:
              path: {HEALTH}
              port: http
            periodSeconds: {PERIOD_S}
            failureThreshold: {START_PROBES}
          readinessProbe:
            httpGet:
              path: {HEALTH}
              port: http
            periodSeconds: {PERIOD_S}
            timeoutSeconds: 5
          livenessProbe:
            httpGet:
              path: {HEALTH}
              port: http
            periodSeconds: {PERIOD_S}
            timeoutSeconds: 5
            failureThreshold: 6
          volumeMounts:
            - name: cache
              mountPath: {HF_CACHE}
            - name: shm
              mountPath: /dev/shm
"#,
        gpus = plan.needed_gpus
    );
    if let Some(path) = &plan.weights {
        let path = yaml::string(path);
        let _ =
            write!(out, "            - name: weights\n              mountPath: {path}\n              readOnly: true\n");
    }
    // Shared memory without a limit of its own; the weights' cache lives as long as the pod.
    out.push_str(
        r"      volumes:
        - name: cache
          emptyDir: {}
        - name: shm
          emptyDir:
            medium: Memory
",
    );
    if let Some(path) = &plan.weights {
        let path = yaml::string(path);
        let _ = write!(out, "        - name: weights\n          hostPath:\n            path: {path}\n");
    }
    let _ = write!(
        out,
        r"---
apiVersion: v1
kind: Service
metadata:
  name: {name}
  labels:
    app: {name}
spec:
  selector:
    app: {name}
  ports:
    - name: http
      port: {port}
      targetPort: http
"
    );
    out
}

fn list(out: &mut String, key: &str, words: &[String]) {
    if words.is_empty() {
        return;
    }
    let _ = writeln!(out, "          {key}:");
    for word in words {
        let _ = writeln!(out, "            - {}", yaml::string(&literal(word)));
    }
}

/// Kubernetes replaces `$(NAME)` in words and values, and `$$` by one dollar.
fn literal(text: &str) -> String {
    text.replace('$', "$$")
}
